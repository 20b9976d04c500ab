/**
 * The exit codes: the process's exit status, the stable code that `--json` prints, and the meaning. `--help` prints the
 * meanings, and docs/commands.md has the table.
 */
export const exitCodes = {
  ok: { status: 0, meaning: 'success, or nothing to do' },
  unexpected: { status: 1, meaning: 'unexpected error' },
  usage: { status: 2, meaning: 'the command line or a setting is invalid' },
  wrong_key: { status: 3, meaning: 'the licence key is unknown or mistyped' },
  key_not_active: { status: 4, meaning: 'the licence key has expired, or is suspended or revoked' },
  control_plane_unavailable: { status: 5, meaning: 'the control plane is unreachable or returned an error' },
  registry_refused: { status: 6, meaning: 'the registry is unreachable, refused access or lacks a package' },
  integrity_failed: {
    status: 7,
    meaning: 'a package failed its integrity check, or the release is not signed by the vendor',
  },
  disk_full: { status: 8, meaning: 'not enough disk space' },
  port_taken: { status: 9, meaning: 'the port is already in use' },
  box_not_healthy: { status: 10, meaning: 'the box is not healthy' },
  busy: { status: 11, meaning: 'another command is using this folder' },
  not_installed: { status: 12, meaning: 'no box is installed in this folder' },
  not_running: { status: 13, meaning: 'the box is not running' },
  did_not_stop: { status: 14, meaning: 'the box did not stop in time' },
  folder_unusable: { status: 15, meaning: 'the folder is not writable or contains other files' },
  problems_found: { status: 16, meaning: 'something is wrong with the box' },
  yanked: { status: 17, meaning: 'the vendor has yanked a version of the release' },
  taken_back: { status: 18, meaning: 'the other release or the new settings failed, and the box runs as before' },
  domains_not_proved: { status: 20, meaning: 'a domain of the box is not proved yet' },
  would_lose_data: { status: 21, meaning: 'going back would lose data; nothing was changed' },
  no_former_release: { status: 22, meaning: 'there is no former release to go back to' },
  storage_unavailable: { status: 23, meaning: 'the bucket of backups is unreachable or refuses access' },
  unverified: { status: 24, meaning: 'nothing shows that the backup is as the box has written it' },
  interrupted: { status: 130, meaning: 'interrupted by a signal; run the command again to resume' },
} as const;

/** A stable exit code, such as `wrong_key`. */
export type ExitCode = keyof typeof exitCodes;
