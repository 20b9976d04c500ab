/**
 * What a subject works with: the running stack, and the installed box and that from sources as one.
 */
import { type Caller, callerOf, type OpenedTenant, openTenant } from '@carton/runtime/testing';
import type { Test } from 'tap';
import { controlMailServers, type Mail, readMails, waitForMail } from '../tools/shipped-stack/mails.ts';
import {
  localUrl,
  readBoxEnvironment,
  readStackSettings,
  type StackSettings,
} from '../tools/shipped-stack/settings.ts';
import { DeclaredAnswers } from './mirror/declared.ts';
import { type Exchange, Mirror } from './mirror/mirror.ts';
import { serveMirror } from './mirror/server.ts';

/** Names the folder of the stack; the command sets it. */
export const stackVariable = 'SHIPPED_STACK';

export interface Stage {
  settings: StackSettings;
  /** The URL of both boxes: each request goes to both, and the answers are compared. */
  url: string;
  /** Of the installed box alone. */
  boxUrl: string;
  mirror: Mirror;
  exchanges: readonly Exchange[];
  /** The document of the installed box. */
  document: Record<string, unknown>;
  secrets: { operator: string; hosting: string; metrics: string };
  operator: Caller;
  /** Creates a store in both boxes. */
  openTenant(slug?: string): Promise<OpenedTenant>;
  mailbox: StageMailbox;
}

export interface StageMailbox {
  /** The mails of the installed box so far. Those of the other box are known too. */
  mails(): Promise<Mail[]>;
  /** Waits for the mail to an address that comes `number`-th, from 0. @throws Error if it does not come */
  mailTo(address: string, number?: number): Promise<Mail>;
  stop(): Promise<void>;
  start(): Promise<void>;
}

/** @param compared false to send everything to the installed box alone */
export async function openStage(t: Test, { compared = true }: { compared?: boolean } = {}): Promise<Stage> {
  const folder = process.env[stackVariable];
  if (!folder) throw new Error(`${stackVariable} is not set: run subjects with npm run test:shipped -- --only <name>`);
  const settings = await readStackSettings(folder);
  const boxUrl = localUrl(settings.ports.box);
  const { OPERATOR_SECRET = '', HOSTING_SECRET = '', METRICS_SECRET = '' } = await readBoxEnvironment(settings);
  const document = (await (await fetch(`${boxUrl}/docs/json`)).json()) as Record<string, unknown>;
  const mirror = new Mirror(
    boxUrl,
    compared ? localUrl(settings.ports.sourceBox) : null,
    new DeclaredAnswers(document),
  );
  const server = await serveMirror(mirror);
  t.teardown(async () => {
    await server.close();
    mirror.close();
  });
  const secrets = { operator: OPERATOR_SECRET, hosting: HOSTING_SECRET, metrics: METRICS_SECRET };
  const { url } = server;
  return {
    settings,
    url,
    boxUrl,
    mirror,
    exchanges: mirror.exchanges,
    document,
    secrets,
    operator: callerOf(url, { authorization: `Bearer ${secrets.operator}` }),
    openTenant: (slug) => openTenant({ url, secrets }, slug),
    mailbox: mailboxOf(settings, mirror, compared),
  };
}

function mailboxOf(settings: StackSettings, mirror: Mirror, compared: boolean): StageMailbox {
  const mails = async () => {
    const shipped = await readMails(settings, 'box');
    if (!compared) return shipped;
    return pair(shipped, await readMails(settings, 'source'), mirror);
  };
  return {
    mails,
    mailTo: (address, number) => waitForMail(mails, address, number),
    stop: () => controlMailServers(settings, 'stop'),
    start: () => controlMailServers(settings, 'start'),
  };
}

/** The mails that both boxes have sent. What is in one of them, such as a token, is paired with that in the other. */
function pair(shipped: readonly Mail[], source: readonly Mail[], mirror: Mirror): Mail[] {
  const left = [...source];
  return shipped.filter((mail) => {
    const at = left.findIndex(({ to, subject }) => to === mail.to && subject === mail.subject);
    if (at === -1) return false;
    const [other] = left.splice(at, 1);
    mirror.values.learnTexts(mail.text, other?.text ?? '');
    return true;
  });
}
