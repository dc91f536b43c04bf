"""Putting Memory Fabric into an agent's own configuration, and taking it out again without a trace.

::

    clients/<client>   where a client keeps its configuration, and what stands there for us
    program            the command that is written
    jsonc toml_tables  a configuration file taken apart; where exactly to insert and to cut
    splice journal     what was changed, so that it can be undone to the byte
    files              backup, atomic writing
    installer          install, uninstall
    survey             what is installed on this machine
    trial              runs the very command that was written
    checks             what ``doctor`` says of all this
"""
