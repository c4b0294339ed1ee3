"""The controller: what the cluster's metadata is changed by. Decisions make records, replaying them makes state."""
