"""The MCP server: fourteen tools over stdio, and the same server object for other transports.

``server.build`` makes it from a memory that is opened when the first tool needs it; ``stdio`` serves it to one client.
"""
