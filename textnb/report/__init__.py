"""Results rendered: terminal text, JSON text, pictures. Nothing here computes or prints."""
