"""How often ``study.progress()`` is right: measured on functions whose best value is known."""
