/**
 * The unit of systemd that runs a box: it starts at boot, is watched, and can touch nothing but the box's folder.
 * Source of the options: systemd.service(5), systemd.exec(5).
 */
import { vendor } from '../vendor.ts';

/** What a unit is made of. */
export interface UnitDescription {
  /** The box's folder, absolute. */
  dir: string;
  /** The user and group the box runs as. */
  user: string;
  group: string;
  /** Program and first arguments of this command, absolute. */
  command: readonly string[];
  /** Folders outside of the box's that it writes to, such as one of its database. */
  writable: readonly string[];
  /** How long the box may take to stop, in seconds. */
  stopSeconds: number;
}

/** Folders that `ProtectHome` hides. */
const homes = /^\/(home|root|run\/user)(\/|$)/;

/** Returns the text of the unit. */
export function unitOf({ dir, user, group, command, writable, stopSeconds }: UnitDescription): string {
  const words = [...command, 'start', '--foreground', '--dir', dir, '--health-timeout', '3600'];
  const program = command.filter((word) => word.startsWith('/'));
  const inHomes = { write: [dir, ...writable].filter(isInHome), read: program.filter(isInHome) };
  return `# Written by "${vendor} service install". Change it with "systemctl edit".
[Unit]
Description=${vendor} box in ${specifierSafe(dir)}
Wants=network-online.target
After=network-online.target postgresql.service

[Service]
# The command says by systemd-notify, its child, when the box is healthy, and that the command itself is alive. It
# restarts a box that crashes or hangs; systemd restarts the command.
Type=notify
NotifyAccess=all
WatchdogSec=60
User=${user}
Group=${group}
WorkingDirectory=${specifierSafe(dir)}
ExecStart=${words.map((word) => quoted(word.replaceAll('$', '$$$$'))).join(' ')}
Restart=on-failure
RestartSec=5
# Migrations of a large store take their time; the command has a limit of its own.
TimeoutStartSec=infinity
# The command tells the box to stop; the box stops its PostgreSQL after the last request.
KillMode=mixed
# More than DRAIN_SECONDS and 30 s.
TimeoutStopSec=${stopSeconds}
# One process that runs out of memory does not end the others.
OOMPolicy=continue
LimitNOFILE=65536
UMask=0077

# No rights, and no way to get any.
NoNewPrivileges=yes
CapabilityBoundingSet=
AmbientCapabilities=
RestrictSUIDSGID=yes
RestrictNamespaces=yes
RestrictRealtime=yes
LockPersonality=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallFilter=~@privileged @resources
SystemCallErrorNumber=EPERM
# V8 compiles to machine code at run time: it needs memory that is writable and executable.
MemoryDenyWriteExecute=no

# The rest of the machine is read-only or invisible.
ProtectSystem=strict
${[dir, ...writable].map((path) => `ReadWritePaths=${quoted(path)}`).join('\n')}
${protectHome(inHomes)}
ProtectProc=invisible
ProtectClock=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectControlGroups=yes
PrivateTmp=yes
PrivateDevices=yes
# Not PrivateUsers: its own user could not recognise the processes of the box from outside of the service.
# Netlink tells the resolver which addresses the machine has.
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK

[Install]
WantedBy=multi-user.target
`;
}

/** Hides the homes of users, except what the box needs of them. */
function protectHome({ write, read }: { write: string[]; read: string[] }): string {
  if (write.length + read.length === 0) return 'ProtectHome=yes';
  return [
    'ProtectHome=tmpfs',
    ...write.map((path) => `BindPaths=${quoted(path)}`),
    ...read.map((path) => `BindReadOnlyPaths=${quoted(path)}`),
  ].join('\n');
}

function isInHome(path: string): boolean {
  return homes.test(path);
}

/** Quotes a word of a unit file, where `%` begins a specifier. In a command line, `$` must be doubled besides. */
export function quoted(word: string): string {
  const safe = specifierSafe(word);
  return /^[\w@%+=:,./$-]+$/.test(safe) ? safe : `"${safe.replaceAll(/["\\]/g, '\\$&')}"`;
}

function specifierSafe(text: string): string {
  return text.replaceAll('%', '%%');
}
