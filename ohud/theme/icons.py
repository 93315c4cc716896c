"""The glyphs that `icon("name")` stands for, in the three forms that the config's `icons` picks from."""

FORMS = ("nerd", "emoji", "ascii")

# name: (nerd, emoji, ascii); an empty form prints nothing
ICONS: dict[str, tuple[str, str, str]] = {
    "agent": ("\U000f06a9", "🤖", "agent"),
    "branch": ("\ue0a0", "🌿", "git:"),
    "cache": ("\U000f01bc", "🗄️", "cache"),
    "calendar": ("\uf073", "📅", "7d"),
    "chart": ("\uf080", "📊", "%"),
    "check": ("\uf00c", "✅", "ok"),
    "clean": ("\uf00c", "✨", "="),
    "clock": ("\uf017", "🕐", "at"),
    "cloud": ("\uf0c2", "☁️", "cloud"),
    "code": ("\uf121", "📝", "<>"),
    "commit": ("\uf417", "🔖", "@"),
    "compact": ("\uf066", "🗜️", "compact"),
    "conflict": ("\uf071", "⚔️", "!"),
    "context": ("\U000f035b", "🧠", "ctx"),
    "cost": ("\uf155", "💰", "$"),
    "cross": ("\uf00d", "❌", "x"),
    "dirty": ("\uf111", "✏️", "*"),
    "down": ("\uf063", "⬇️", "v"),
    "effort": ("\uf0e7", "⚡", "effort"),
    "error": ("\uf057", "❗", "!"),
    "fire": ("\uf06d", "🔥", "^"),
    "folder": ("\uf07b", "📁", "dir"),
    "heart": ("\uf004", "❤️", "<3"),
    "home": ("\uf015", "🏠", "~"),
    "hook": ("\U000f06e2", "🪝", "hook"),
    "host": ("\uf108", "🖥️", "host"),
    "hourglass": ("\uf252", "⏳", "..."),
    "info": ("\uf05a", "💡", "i"),
    "left": ("\uf060", "⬅️", "<"),
    "link": ("\uf0c1", "🔗", "->"),
    "lock": ("\uf023", "🔒", "[]"),
    "memory": ("\uf2db", "💾", "mem"),
    "message": ("\uf075", "💬", "msg"),
    "model": ("\U000f06a9", "🤖", "model"),
    "pending": ("\uf10c", "⚪", "o"),
    "play": ("\uf04b", "▶️", ">"),
    "project": ("\uf07c", "📂", "dir"),
    "pull_request": ("\uf407", "🔀", "PR"),
    "reset": ("\uf0e2", "🔄", "reset"),
    "right": ("\uf061", "➡️", ">"),
    "rocket": ("\uf135", "🚀", ">>"),
    "session": ("\uf2c0", "👤", "session"),
    "speed": ("\U000f04c5", "🏎️", "tok/s"),
    "star": ("\uf005", "⭐", "*"),
    "stash": ("\uf187", "📦", "stash"),
    "time": ("\uf2f2", "⏱️", "time"),
    "todo": ("\uf0ae", "📋", "todo"),
    "token": ("\U000f0be7", "🪙", "tok"),
    "tool": ("\uf0ad", "🔧", "tool"),
    "up": ("\uf062", "⬆️", "^"),
    "usage": ("\U000f029a", "📈", "use"),
    "warning": ("\uf071", "⚠️", "!"),
    "worktree": ("\U000f0645", "🌳", "wt"),
}


def glyph(name: str, form: str) -> str | None:
    """The glyph of an icon in one form; None when there is no such icon."""
    forms = ICONS.get(name)
    return forms[FORMS.index(form)] if forms and form in FORMS else None
