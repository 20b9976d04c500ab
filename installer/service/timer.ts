/**
 * The units of systemd that take backups: a timer, and the service it starts. Source of the options: systemd.timer(5).
 */
import { vendor } from '../vendor.ts';
import { quoted } from './unit.ts';

export interface TimerDescription {
  /** The box's folder, absolute. */
  dir: string;
  uid: number;
  gid: number;
  /** Program and arguments, absolute. */
  command: readonly string[];
  /** Seconds between the starts of two backups. */
  every: number;
  /** Folders outside of the box's that backups are written to. */
  writable: readonly string[];
}

/** Returns the texts of both units. */
export function backupTimer({
  dir,
  uid,
  gid,
  command,
  every,
  writable,
}: TimerDescription): Record<'timer' | 'service', string> {
  const heading = `# Written by "${vendor} backup schedule". Change it with "systemctl edit".\n[Unit]\nDescription=`;
  return {
    service: `${heading}Backup of the ${vendor} box in ${quoted(dir)}
Wants=network-online.target
After=network-online.target

[Service]
Type=oneshot
User=${uid}
Group=${gid}
UMask=0077
ExecStart=${command.map((word) => quoted(word.replaceAll('$', '$$$$'))).join(' ')}
# The box comes first.
Nice=10
IOSchedulingClass=idle
TimeoutStartSec=infinity
NoNewPrivileges=yes
ProtectSystem=strict
${[dir, ...writable].map((path) => `ReadWritePaths=${quoted(path)}`).join('\n')}
`,
    timer: `${heading}Backups of the ${vendor} box in ${quoted(dir)}

[Timer]
OnActiveSec=5min
OnBootSec=15min
OnUnitActiveSec=${every}s
RandomizedDelaySec=${Math.min(600, Math.round(every / 10))}s

[Install]
WantedBy=timers.target
`,
  };
}
