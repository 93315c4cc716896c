"""Computed fields: one file a family, one public function a field."""
