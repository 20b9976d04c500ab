/**
 * The requests whose responses must not tell which addresses have accounts, and the accounts that they ask for.
 */
import { randomBytes } from 'node:crypto';
import { hashPassword } from '@carton/auth';
import pg from 'pg';

export interface Probe {
  name: string;
  path: string;
  /** The body besides the address. */
  body: Record<string, string>;
  status: number;
  accounts: 'members' | 'staff';
  /** Milliseconds after a response until the next request: what the response has caused, such as a mail, ends first. */
  pause: number;
}

const guess = { password: 'a wrong password' };
/** For requests that cause mails. */
const pause = 15;

export const probes: readonly Probe[] = [
  { name: 'register', path: '/member/register', body: guess, status: 202, accounts: 'members', pause },
  { name: 'login', path: '/member/login', body: guess, status: 401, accounts: 'members', pause: 0 },
  { name: 'forgot', path: '/member/password/forgot', body: {}, status: 202, accounts: 'members', pause },
  { name: 'resend', path: '/member/email/verification', body: {}, status: 202, accounts: 'members', pause },
  { name: 'staff-login', path: '/admin/auth/login', body: guess, status: 401, accounts: 'staff', pause: 0 },
  { name: 'staff-forgot', path: '/admin/auth/password/forgot', body: {}, status: 202, accounts: 'staff', pause },
];

export interface Addresses {
  known: string[];
  unknown: string[];
}

/** Equally many addresses of either kind, which nothing but the accounts distinguishes. */
export function drawAddresses(count: number): Addresses {
  const draw = () => Array.from({ length: count }, () => `${randomBytes(8).toString('hex')}@mail.example`);
  return { known: draw(), unknown: draw() };
}

/**
 * Creates accounts in the database: thousands over the API would take hours of password hashes. Accounts of the probe
 * `resend` are not verified yet, so that they get a mail.
 */
export async function createAccounts(
  databaseUrl: string,
  tenantId: string,
  { name, accounts }: Probe,
  emails: readonly string[],
): Promise<void> {
  const hash = await hashPassword('the right password');
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const verifiedAt = name === 'resend' ? 'null' : 'now()';
    await client.query(
      accounts === 'members'
        ? `insert into members (tenant_id, id, email, name, email_verified_at, password_hash)
           select $1, gen_random_uuid(), email, 'Ada Lovelace', ${verifiedAt}, $3 from unnest($2::text[]) email`
        : `insert into staff_users (tenant_id, id, email, name, role, password_hash)
           select $1, gen_random_uuid(), email, 'Ada Lovelace', 'viewer', $3 from unnest($2::text[]) email`,
      [tenantId, emails, hash],
    );
    await client.query(`analyze ${accounts === 'members' ? 'members' : 'staff_users'}`);
  } finally {
    await client.end();
  }
}
