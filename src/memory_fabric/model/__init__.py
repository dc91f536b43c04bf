"""Values: frozen, standard library only, no input or output."""
