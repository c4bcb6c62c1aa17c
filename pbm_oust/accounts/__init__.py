"""What an account holds, as values. Pure."""
