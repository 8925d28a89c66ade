"""New and repeated submissions: bundle, launch request, command, the facts that checks judge."""
