"""What a disguise leaves as it is: the host's own words, by where they stand. Source: hosts 2.1.215 and 2.1.332."""

from __future__ import annotations


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


SCHEMES = frozenset(["https", "http", "ssh", "git", "file"])
FORGES = frozenset(["github.com", "gitlab.com", "bitbucket.org", "codeberg.org"])
FOLDERS = _set(
    "tmp private var usr opt etc home Users .claude .config .git projects subagents worktrees tasks pull issues commit"
    " tree blob merge_requests . .. ~ -"
)
EXTENSIONS = _set("json jsonl ndjson md txt py js ts tsx sh toml yaml yml rs go c h java html css output")

# Texts of these keys are words of the host's own.
WORDS = _set(
    "type subtype role status stop_reason terminal_reason permissionMode permission_mode defaultMode apiKeySource"
    " userType entrypoint level mode rateLimitType overageStatus overageDisabledReason service_tier speed"
    " fast_mode_state fast_mode_disabled_reason decision source reason_type reasonType hook_event_name hookEvent"
    " operation trigger media_type kind effort event task_type origin promptSource turnOrigin provider by ttl"
    " review_state view_mode priority state querySource perTurnEffort renderedRole rowSource ruleSource costBasis"
    " last_miss_cause causes error capabilities"
)
# Names that are the host's or its user's, told apart by what the host's own are.
NAMES = _set(
    "name tool_name toolName last_tool_name tools subagent_type agentType agent_type attributionAgent output_style"
    " agents builtInTypes addedTypes preCompactDiscoveredTools outputStyle"
)
OWN = _set(
    # tools
    "Agent AskUserQuestion Bash BashOutput CronCreate CronDelete CronList Edit EnterPlanMode EnterWorktree ExitPlanMode"
    " ExitWorktree Glob Grep KillShell ListAgents ListMcpResources ListMcpResourcesTool LS Monitor MultiEdit"
    " NotebookEdit NotebookRead PowerShell Read ReadMcpResource ReadMcpResourceTool ReportFindings ScheduleWakeup"
    " SendMessage Skill SlashCommand Task TaskCreate TaskGet TaskList TaskOutput TaskStop TaskUpdate TodoRead TodoWrite"
    " ToolSearch WebFetch WebSearch Workflow Write StructuredOutput web_search web_fetch advisor"
    # agents, output styles
    " general-purpose Explore Plan claude statusline-setup output-style-setup default Explanatory Learning Proactive"
)
# Words of the host's own inside of tools' calls and results too.
KNOWN = _set(
    "text thinking redacted_thinking tool_use tool_result tool_reference image document base64 pending in_progress"
    " completed failed stopped killed running deleted cancelled user assistant system create update allow deny accept"
    " reject async_launched success error low medium high max xhigh none human default task-notification local_agent"
    " local_bash acceptEdits plan bypassPermissions dontAsk auto on off INSERT NORMAL VISUAL ephemeral 5m 1h object"
    " string array number boolean integer null text_delta input_json_delta thinking_delta signature_delta message"
    " task_notification compact_boundary file str external"
    " cli ANTHROPIC_API_KEY apiKeyHelper temporary project org builtin"
) | {"VISUAL LINE", "VISUAL BLOCK"}
# Below these, names are a user's and texts are words of a conversation, whatever the key.
FREE = _set(
    "input tool_input tool_use_result toolUseResult structured_output attachment data arguments content delta"
    " partial_json snapshot params"
)
FREE_KEYS = _set(
    "activeForm addBlockedBy addBlocks agentId agentType answers args blockedBy blocks cache_control citations command"
    " content data description durationMs duration_ms exitCode file filePath file_path filename filenames from glob"
    " header id input input_tokens interrupted isAsync isImage is_error label limit line lines linesAdded linesRemoved"
    " media_type message mode model multiSelect name newLines newStart newString new_string newTodos"
    " noOutputExpected notebook_path numFiles numLines offset oldLines oldStart oldString oldTodos old_string options"
    " originalFile output output_tokens owner pattern path plan priority prompt query question questions replaceAll"
    " replace_all replacements resolvedModel results run_in_background skill source startLine status statusChange"
    " stderr stdout structuredPatch subagent_type subject success summary task taskId tasks text thinking signature"
    " messageId trackedFileBackups displayPath itemCount timeout"
    " timestamp title to todos toolStats tool_name tool_use_id tool_uses total totalDurationMs totalLines totalTokens"
    " totalToolUseCount truncated type updatedFields url urls usage userModified uuid cache_creation"
    " cache_creation_input_tokens cache_read_input_tokens ephemeral_1h_input_tokens ephemeral_5m_input_tokens"
    " server_tool_use service_tier web_fetch_requests web_search_requests partial_json"
)
# Objects whose keys are somebody's names.
NAMED = _set("mcpServers projects trackedFileBackups env enabledPlugins by_type additionalWorkingDirectories")
MODELS = _set("model resolvedModel canonicalModel requestedModel fallback_model pickedEffortModel display_name id")
# Tags of the host's own in what it puts in a user's place.
TAGS = _set(
    "task-notification task-id tool-use-id output-file status summary result usage total_tokens tool_uses duration_ms"
    " command-name command-message command-args local-command-stdout local-command-stderr local-command-caveat"
    " system-reminder bash-input bash-stdout bash-stderr user-memory-input user-prompt-submit-hook teammate-message"
)
