/**
 * A package for the tests of persons: a club, whose members sign in, and the wishes of its guests and members.
 */
import type { Cleanup } from '../../testing/box.ts';
import { writePackage } from '../../testing/written-package.ts';

const migration = `export const up = (knex) =>
  knex.raw(\`
    create table club_members (
      tenant_id uuid not null references tenants (id),
      id uuid not null,
      email text,
      name text,
      updated_at timestamptz(3) not null default now(),
      primary key (tenant_id, id)
    );
    create table club_wishes (
      tenant_id uuid not null references tenants (id),
      id uuid not null,
      session_hash text,
      member_id uuid,
      wish text not null,
      primary key (tenant_id, id)
    )
  \`);
export const down = (knex) => knex.raw('drop table club_wishes, club_members');
`;

const index = `
import {
  definePackage, Email, emailProofs, erasePerson, erasureHindered, logInMember, memberLogIns, newId, object,
  personalData, proveEmail, route, exportPerson, type TenantDatabase, Type, Uuid,
} from '@carton/runtime';

const tag = 'Club';
const Id = object({ id: Uuid });

const createClubMember = route(
  {
    method: 'post', path: '/admin/club-members', operationId: 'createClubMember', tag, summary: 'Add a member',
    access: 'staff', body: object({ email: Email, name: Type.String() }), status: 201, response: Id,
  },
  ({ db, body }) => db.insert<{ id: string }>('club_members', { id: newId(), ...body }),
);

const renameClubMember = route(
  {
    method: 'patch', path: '/admin/club-members/:id', operationId: 'renameClubMember', tag, summary: 'Rename a member',
    access: 'staff', body: object({ name: Type.String() }), status: 200, response: Id,
  },
  async ({ db, params, body }) => (await db.update<{ id: string }>('club_members', { id: params.id }, body))[0]!,
);

const createWish = route(
  {
    method: 'post', path: '/club-wishes', operationId: 'createWish', tag, summary: 'Create a wish',
    access: 'session', body: object({ wish: Type.String() }), status: 201, response: Id,
  },
  ({ db, session, body }) => db.insert<{ id: string }>('club_wishes', { id: newId(), sessionHash: session.begin(), ...body }),
);

// A log-in without a password: the tests are about what follows it.
const joinClub = route(
  {
    method: 'post', path: '/club-log-ins', operationId: 'joinClub', tag, summary: 'Sign in',
    access: 'session', body: object({ memberId: Uuid, fails: Type.Optional(Type.Boolean()) }), status: 204,
  },
  ({ db, session, body }) => db.transaction(async (tx) => {
    await logInMember(tx, session, body.memberId);
    if (body.fails) throw new Error('the last step fails');
  }),
);

const proveClubEmail = route(
  {
    method: 'post', path: '/admin/club-members/:id/prove', operationId: 'proveClubEmail', tag, summary: 'Prove an address',
    access: 'staff', body: object({ email: Email }), status: 204,
  },
  ({ db, params, body }) => db.transaction((tx) => proveEmail(tx, { memberId: params.id, email: body.email })),
);

const personOf = async (db: TenantDatabase, memberId: string) => {
  const [member] = await db.query<{ email: string | null }>(
    'select email from club_members where tenant_id = $1 and id = $2', [memberId],
  );
  return { memberId, emails: member?.email ? [member.email] : [] };
};

const exportClubMember = route(
  {
    method: 'get', path: '/admin/club-members/:id/data', operationId: 'exportClubMember', tag, summary: 'Export personal data',
    access: 'staff', status: 200, response: Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true }),
  },
  async ({ db, params }) => exportPerson(db, await personOf(db, params.id)) as Promise<Record<string, unknown>>,
);

const eraseClubMember = route(
  {
    method: 'post', path: '/admin/club-members/:id/erase', operationId: 'eraseClubMember', tag, summary: 'Erase a member',
    access: 'staff', status: 204, problems: [erasureHindered],
  },
  async ({ db, params }) => erasePerson(db, await personOf(db, params.id)),
);

export default definePackage({
  routes: [
    createClubMember, renameClubMember, createWish, joinClub, proveClubEmail, exportClubMember, eraseClubMember,
  ],
  extends: [
    memberLogIns.with(async (tx, { memberId, sessionHash }) => {
      if (sessionHash === null) return;
      await tx.query(
        'update club_wishes set member_id = $2, session_hash = null where tenant_id = $1 and session_hash = $3',
        [memberId, sessionHash],
      );
    }),
    emailProofs.with(async (tx, { memberId, email }) => {
      await tx.query('update club_members set email = $3 where tenant_id = $1 and id = $2', [memberId, email]);
    }),
    personalData.with({
      name: 'club',
      keeps: [
        { table: 'club_members', columns: ['email', 'name'], reason: 'To know who you are.', kept: 'until you leave' },
        { table: 'club_wishes', columns: ['wish'], reason: 'To grant them.', kept: 'until they are granted' },
      ],
      find: async (_, { memberId }) => ({ records: { club_member: memberId ? [memberId] : [] } }),
      async exportData(db, { memberId }) {
        const [member] = await db.query('select email, name from club_members where tenant_id = $1 and id = $2', [memberId]);
        const wishes = await db.query<{ wish: string }>(
          'select wish from club_wishes where tenant_id = $1 and member_id = $2 order by wish', [memberId],
        );
        return member ? { ...member, wishes: wishes.map(({ wish }) => wish) } : null;
      },
      async erase(tx, { memberId }) {
        await tx.query('update club_members set email = null, name = null where tenant_id = $1 and id = $2', [memberId]);
        await tx.query('delete from club_wishes where tenant_id = $1 and member_id = $2', [memberId]);
      },
    }),
  ],
});
`;

/** Writes the package; other packages mounted with it store personal data too. */
export function writeClub(t: Cleanup) {
  const others = [
    'tenant',
    'region',
    'product',
    'pricing',
    'inventory',
    'cart',
    'order',
    'payment',
    'checkout',
    'audit',
  ];
  return writePackage(t, { name: 'club', dependencies: ['core', 'auth'], index, migration }, others);
}
