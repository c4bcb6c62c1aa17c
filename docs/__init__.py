"""The documentation, which comes along with the program as `pbm_oust.documents`."""
