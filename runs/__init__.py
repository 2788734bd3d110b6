"""Many runs, kept: specifications, execution and a store of results. Nothing here yet."""
