"""From SKILL.md files to `Skill` records: parsing one file, scanning folders, diagnostics."""
