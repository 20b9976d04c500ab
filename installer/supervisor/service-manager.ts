/**
 * Telling systemd the state of a service of type `notify`: that it is ready, alive and stopping.
 *
 * Node.js has no datagram sockets of the Unix family, so systemd's own program `systemd-notify` sends the messages. It
 * is a child of this process: the unit has `NotifyAccess=all`. Source: sd_notify(3), systemd-notify(1).
 */
import { execFile } from 'node:child_process';

/** Reports to a service manager; does nothing where there is none. */
export interface ServiceManagerReports {
  /** The service has started. From then on the watchdog of the unit is fed. @param status one line for people */
  ready(status: string): void;
  /** The service stops. The watchdog is fed until `end`, since finishing requests takes time. */
  stopping(): void;
  /** Ends the reports. */
  end(): void;
}

/** @param environment with NOTIFY_SOCKET and WATCHDOG_USEC, as systemd sets them */
export function reportToServiceManager(environment: NodeJS.ProcessEnv): ServiceManagerReports {
  const { NOTIFY_SOCKET, WATCHDOG_USEC } = environment;
  const tell = (...states: string[]) => {
    // A message that is lost makes systemd restart the service, at worst; it must not end it here.
    if (NOTIFY_SOCKET) execFile('systemd-notify', states, { env: environment }, () => undefined);
  };
  const microseconds = Number(WATCHDOG_USEC) || 0;
  let timer: NodeJS.Timeout | undefined;
  return {
    ready(status) {
      tell('--ready', `--status=${status}`);
      if (microseconds === 0 || !NOTIFY_SOCKET) return;
      timer = setInterval(() => tell('WATCHDOG=1'), microseconds / 1000 / 3);
      timer.unref();
    },
    stopping: () => tell('STOPPING=1', '--status=The box is stopping'),
    end: () => clearInterval(timer),
  };
}
