"""Hooks of Claude Code: the memory is brought to the agent, and what was said is kept, without being asked.

    stdin ─read→ Event ─answer→ "" or one JSON object            in the hook's own process, within its deadline
                       ─mark→ marks/ ─worker→ ingest             detached, one at a time, after the hook has gone

Whatever happens, a hook exits 0 (F-HOOK, C-087, C-089).  Nothing heavy is imported on its path (decision 14).
"""
