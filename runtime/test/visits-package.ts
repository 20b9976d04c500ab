/**
 * A package that counts the visits of a session.
 */
const index = `
import { definePackage, nullable, object, route, sessionData, Type } from '@carton/runtime';

const Visits = object({ hash: nullable(Type.String()), memberId: nullable(Type.String()), visits: Type.Integer() });
const about = { tag: 'Visits', access: 'session' };

const countOf = async (db, hash) =>
  (await db.query('select visits from visits where tenant_id = $1 and hash = $2', [hash]))[0]?.visits ?? 0;
const present = async (db, { hash, memberId }) => ({ hash, memberId, visits: await countOf(db, hash) });

const readVisits = route(
  { ...about, method: 'get', path: '/visits', operationId: 'readVisits', summary: 'Count visits', status: 200, response: Visits },
  ({ db, session }) => present(db, session),
);
const addVisit = route(
  { ...about, method: 'post', path: '/visits', operationId: 'addVisit', summary: 'Add a visit', status: 201, response: Visits, idempotent: true },
  async ({ db, session }) => {
    const values = [session.begin()];
    await db.query('insert into visits (tenant_id, hash) values ($1, $2) on conflict (tenant_id, hash) do update set visits = visits.visits + 1', values);
    return present(db, session);
  },
);
const Rotated = object({ before: nullable(Type.String()), hash: Type.String() });
const logIn = route(
  { ...about, method: 'post', path: '/visits/log-in', operationId: 'logInVisitor', summary: 'Log in', status: 200, response: Rotated },
  async ({ db, session }) => {
    const rotated = session.rotate();
    await db.query('update visits set hash = $3 where tenant_id = $1 and hash = $2', [rotated.before, rotated.hash]);
    return rotated;
  },
);

const visitsOfSessions = {
  isKnown: async (db, hash, before) =>
    (await db.query('select hash from visits where tenant_id = $1 and hash = $2 and since < $3', [hash, before])).length > 0,
  move: async (tx, from, to) =>
    (await tx.query('update visits set hash = $3 where tenant_id = $1 and hash = $2 returning hash', [from, to])).length > 0,
};
export default definePackage({ routes: [readVisits, addVisit, logIn], extends: [sessionData.with(visitsOfSessions)] });
`;

const migration = `
export const up = (knex) => knex.raw(\`
  create table visits (
    tenant_id uuid not null references tenants (id),
    hash text not null,
    visits integer not null default 1,
    since timestamptz not null default now(),
    primary key (tenant_id, hash)
  )\`);
export const down = (knex) => knex.raw('drop table visits');
`;

export const visits = { name: 'visits', dependencies: ['core', 'auth', 'tenant'], index, migration };
