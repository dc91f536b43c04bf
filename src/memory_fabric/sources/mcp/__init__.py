"""Any MCP memory server as an outside memory."""
