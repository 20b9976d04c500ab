/**
 * What is attacked: a box that the binary has installed, the control plane and the registry, with the secrets of those who
 * may do what attackers may not.
 */
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { type Caller, callerOf, type OpenedTenant, openTenant, temporaryFolder } from '@carton/runtime/testing';
import { type DnsResponse, startResponder } from '../../control-plane/boxes/testing/dns-responder.ts';
import { readMails, waitForMail } from '../shipped-stack/mails.ts';
import { createMember, type Mailbox, type Member } from '../shipped-stack/member.ts';
import { localUrl, readBoxEnvironment, type StackSettings } from '../shipped-stack/settings.ts';

export interface Target {
  settings: StackSettings;
  /** How often guesses and the like are repeated. */
  rounds: number;
  box: {
    url: string;
    port: number;
    secrets: { operator: string; hosting: string; metrics: string };
    operator: Caller;
  };
  controlPlane: { url: string; port: number; admin: Caller; visitor: Caller };
  registry: { url: string; port: number };
  /** A store with an owner, from which nothing is kept. */
  openStore(): Promise<OpenedTenant>;
  /** A member of a store, with a verified address. */
  createMember(store: OpenedTenant): Promise<Member>;
  /** Invites a person, who accepts the invite and logs in. */
  hire(store: OpenedTenant, role: 'viewer' | 'manager' | 'owner'): Promise<Person>;
  mintKey(fields?: object): Promise<{ id: string; key: string; customerId: string }>;
  mailbox: Mailbox;
  mails: () => ReturnType<typeof readMails>;
  /** What the DNS server of the control plane answers, by name. */
  dns: Record<string, DnsResponse>;
  /** For files of the attacker. */
  folder: string;
}

export interface Person extends Caller {
  id: string;
  email: string;
  password: string;
}

/** Opens the target; the end of `t` closes it. */
export async function openTarget(
  t: { teardown(task: () => Promise<void>): void },
  settings: StackSettings,
  rounds: number,
): Promise<Target> {
  const { ports, secrets: ofVendor } = settings;
  const { OPERATOR_SECRET = '', HOSTING_SECRET = '', METRICS_SECRET = '' } = await readBoxEnvironment(settings);
  const secrets = { operator: OPERATOR_SECRET, hosting: HOSTING_SECRET, metrics: METRICS_SECRET };
  const url = localUrl(ports.box);
  const controlPlane = localUrl(ports.controlPlane);
  const admin = callerOf(controlPlane, { authorization: `Bearer ${ofVendor.admin}` });
  const dns: Record<string, DnsResponse> = {};
  await startResponder(t, dns, ports.dns);
  const folder = await temporaryFolder('attacks-', settings.folder);
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const mails = () => readMails(settings, 'box');
  const mailbox: Mailbox = { mailTo: (address, number) => waitForMail(mails, address, number) };
  return {
    settings,
    rounds,
    box: { url, port: ports.box, secrets, operator: callerOf(url, { authorization: `Bearer ${secrets.operator}` }) },
    controlPlane: { url: controlPlane, port: ports.controlPlane, admin, visitor: callerOf(controlPlane) },
    registry: { url: localUrl(ports.registry), port: ports.registry },
    openStore: () => openTenant({ url, secrets }),
    createMember: (store) => createMember({ mailbox }, store),
    hire: (store, role) => hire(url, store, role),
    async mintKey(fields = {}) {
      const customerId = `customer-${randomBytes(6).toString('hex')}`;
      const { status, body } = await admin.post('/license/keys', { customerId, tier: 'basic', ...fields });
      if (status !== 201) throw new Error(`no key is minted: ${status} ${JSON.stringify(body)}`);
      return body;
    },
    mailbox,
    mails,
    dns,
    folder,
  };
}

async function hire(url: string, store: OpenedTenant, role: string): Promise<Person> {
  const email = `${role}-${randomBytes(6).toString('hex')}@${store.slug}.example`;
  const password = randomBytes(18).toString('base64url');
  const { token } = (await store.staff.post('/admin/invites', { email, role })).body;
  const { id } = (await store.visitor().post('/admin/invites/accept', { token, name: role, password })).body;
  const login = await store.visitor().post('/admin/auth/login', { email, password });
  if (login.status !== 200) throw new Error(`${role} cannot log in: ${login.status} ${JSON.stringify(login.body)}`);
  const caller = callerOf(url, { ...store.visitor().headers, authorization: `Bearer ${login.body.token}` });
  return { ...caller, id, email, password };
}
