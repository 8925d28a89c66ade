"""What the learned weights add to the rules: likelier causes, actions, the confidence that is shown."""
