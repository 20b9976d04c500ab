/**
 * The mail servers of the installed box and of the one that runs from sources. They run with the stack, so that all
 * subjects share them, and are controlled by HTTP: `GET /box`, `GET /source` for the mails, `POST /stop`, `POST /start`.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type MailServer, type ReceivedMail, startMailServer } from '@carton/notification/testing';
import type { RunningService } from './processes.ts';
import { localUrl, type StackSettings } from './settings.ts';

type Owner = 'box' | 'source';
/** What subjects see of a mail. */
export type Mail = Pick<ReceivedMail, 'to' | 'from' | 'subject' | 'text' | 'html'>;

export async function startMailServers({ ports }: Pick<StackSettings, 'ports'>): Promise<RunningService> {
  const servers: Record<Owner, MailServer> = {
    box: await startMailServer({}, ports.mailOfBox),
    source: await startMailServer({}, ports.mailOfSourceBox),
  };
  const all = Object.values(servers);
  const control = createServer(async ({ method, url = '' }, response) => {
    const name = url.slice(1);
    if (method === 'POST' && name === 'stop') await Promise.all(all.map((server) => server.stop()));
    if (method === 'POST' && name === 'start') for (const server of all) await server.start();
    const mails = method === 'GET' ? (servers[name as Owner]?.mails ?? []) : [];
    response.end(JSON.stringify(mails.map(({ to, from, subject, text, html }) => ({ to, from, subject, text, html }))));
  });
  control.listen(ports.mailControl, '127.0.0.1');
  await once(control, 'listening');
  return {
    name: 'the mail servers',
    isRunning: () => control.listening,
    async stop() {
      control.closeAllConnections();
      control.close();
      await Promise.all(all.map((server) => server.stop()));
    },
  };
}

export async function readMails({ ports }: Pick<StackSettings, 'ports'>, owner: Owner): Promise<Mail[]> {
  const response = await fetch(`${localUrl(ports.mailControl)}/${owner}`);
  return (await response.json()) as Mail[];
}

const mailPatience = 180_000;

/**
 * Waits for the mail to an address that comes `number`-th, from 0.
 * @param read the mails so far
 * @throws Error if it does not come
 */
export async function waitForMail(read: () => Promise<Mail[]>, address: string, number = 0): Promise<Mail> {
  const until = performance.now() + mailPatience;
  for (;;) {
    const found = (await read()).filter(({ to }) => to === address)[number];
    if (found) return found;
    if (performance.now() > until) throw new Error(`no mail ${number + 1} to ${address} has come`);
    await sleep(100);
  }
}

/** Makes both mail servers unreachable, or reachable again. */
export async function controlMailServers(
  { ports }: Pick<StackSettings, 'ports'>,
  action: 'stop' | 'start',
): Promise<void> {
  await (await fetch(`${localUrl(ports.mailControl)}/${action}`, { method: 'POST' })).arrayBuffer();
}
