/**
 * Every way a command can end, in one table: the process's exit status, the stable word that `--json` carries, and
 * what it means. `--help` prints it and the README repeats it.
 */
export const exitCodes = {
  ok: { status: 0, meaning: 'done, or there was nothing to do' },
  unexpected: { status: 1, meaning: 'something nobody foresaw; the message says what' },
  usage: { status: 2, meaning: 'the command line or a setting is wrong' },
  wrong_key: { status: 3, meaning: 'the licence key is unknown or mistyped' },
  key_not_active: { status: 4, meaning: 'the licence key is expired, suspended or revoked' },
  control_plane_unavailable: {
    status: 5,
    meaning: 'the control plane cannot be reached or does not answer as it should',
  },
  registry_refused: { status: 6, meaning: 'the package registry refuses, lacks a package or cannot be reached' },
  integrity_failed: { status: 7, meaning: 'a package is not what the registry says it is' },
  disk_full: { status: 8, meaning: 'there is not enough disk space' },
  port_taken: { status: 9, meaning: 'another program listens on the port' },
  box_not_healthy: { status: 10, meaning: 'the box did not become healthy; an upgrade was taken back' },
  busy: { status: 11, meaning: 'another command is at work on this folder' },
  not_installed: { status: 12, meaning: 'no box is installed in this folder' },
  not_running: { status: 13, meaning: 'the box is not running (status only)' },
  did_not_stop: { status: 14, meaning: 'the box did not stop in time' },
  folder_unusable: { status: 15, meaning: 'the folder cannot be written or holds something else' },
  interrupted: { status: 130, meaning: 'stopped by a signal; the same command goes on from there' },
} as const;

/** The stable word of one ending, such as `wrong_key`. */
export type ExitCode = keyof typeof exitCodes;
