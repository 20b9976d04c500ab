/**
 * Concurrency: an asset is either attached or deleted, whichever commits first, and the files of a store stay within their
 * limit.
 */
import { createTestBox, raceRounds, writePackage } from '@carton/runtime/testing';
import t from 'tap';
import { document, packages, upload } from './helpers.ts';

const index = `
import { holdMediaAssets, mediaUses } from '@carton/media';
import { definePackage, invalidField, newId, object, route, Uuid } from '@carton/runtime';

const createCover = route(
  {
    method: 'post', path: '/admin/covers', operationId: 'createCover', tag: 'Covers', summary: 'Attach an asset',
    access: 'staff', body: object({ mediaId: Uuid }), status: 201, response: object({ id: Uuid }),
  },
  ({ db, body: { mediaId } }) => db.transaction(async (tx) => {
    const held = await holdMediaAssets(tx, [mediaId]);
    if (!held.has(mediaId)) throw invalidField('/mediaId', 'is not a media asset of this store');
    const id = newId();
    await tx.insert('covers', { id, mediaId });
    return { id };
  }),
);
const isUsed = async (tx, mediaId) =>
  (await tx.query('select id from covers where tenant_id = $1 and media_id = $2', [mediaId])).length > 0;

export default definePackage({ routes: [createCover], extends: [mediaUses.with({ noun: 'covers', isUsed })] });
`;
const migration = `
export const up = (knex) => knex.raw(\`
  create table covers (
    tenant_id uuid not null,
    id uuid not null,
    media_id uuid not null,
    primary key (tenant_id, id),
    foreign key (tenant_id, media_id) references media_assets (tenant_id, id)
  );
\`);
export const down = (knex) => knex.raw('drop table covers');
`;
const written = { name: 'covers', dependencies: ['media'], index, migration };
const others = packages.map((name) => name.split('/')[1] as string);
const box = await createTestBox(t, {
  ...(await writePackage(t, written, others)),
  tier: 'basic',
  environment: { MEDIA_QUOTA_MEGABYTES: '1' },
});
const attach = (mediaId: string) => box.staff.post('/admin/covers', { mediaId });
const clear = async () => {
  await box.db.query('delete from covers where tenant_id = $1');
  for (const { id } of (await box.staff.get('/admin/media?limit=100')).body.items) {
    await box.staff.delete(`/admin/media/${id}`);
  }
};

t.test('an asset in use is not deleted, and says what uses it', async (t) => {
  const { body } = await upload(box, document);
  t.match(await attach(body.id), { status: 201 });
  t.match(await box.staff.delete(`/admin/media/${body.id}`), {
    status: 409,
    body: { code: 'media_in_use', detail: 'It is used by covers.' },
  });
  t.equal((await box.visitor().get(body.url)).status, 200, 'its file is still there');
  await clear();
});

t.test('of an attachment and a deletion at the same time, one happens', async (t) => {
  const outcomes = new Set<string>();
  for (let round = 0; round < raceRounds; round++) {
    const { body } = await upload(box, document);
    const remove = () => box.staff.delete(`/admin/media/${body.id}`);
    const [attached, removed] =
      round % 2 === 0
        ? await Promise.all([attach(body.id), remove()])
        : await Promise.all([remove(), attach(body.id)]).then(([removal, attachment]) => [attachment, removal]);
    const outcome = `${attached?.status} ${removed?.status}`;
    outcomes.add(outcome);
    t.ok(outcome === '201 409' || outcome === '400 204', outcome);
    const covers = await box.db.query('select id from covers where tenant_id = $1 and media_id = $2', [body.id]);
    t.equal(covers.length, attached?.status === 201 ? 1 : 0);
    t.equal((await box.staff.get(`/admin/media/${body.id}`)).status, attached?.status === 201 ? 200 : 404);
    await clear();
  }
  t.comment([...outcomes].join(', '));
});

t.test('concurrent uploads do not exceed the limit of a store', async (t) => {
  const content = Buffer.concat([document, Buffer.alloc(300_000, 'x')]);
  for (let round = 0; round < Math.min(raceRounds, 20); round++) {
    const answers = await Promise.all(Array.from({ length: 6 }, () => upload(box, content)));
    t.strictSame(answers.map(({ status }) => status).sort(), [201, 201, 201, 409, 409, 409]);
    t.ok(answers.filter(({ status }) => status === 409).every(({ body }) => body.code === 'quota_exceeded'));
    await clear();
    await box.db.query('delete from media_files where tenant_id = $1 and asset_id is null');
  }
});

t.test('of two deletions of an asset one is 404', async (t) => {
  for (let round = 0; round < raceRounds; round++) {
    const { body } = await upload(box, document);
    const answers = await Promise.all([1, 2].map(() => box.staff.delete(`/admin/media/${body.id}`)));
    t.strictSame(answers.map(({ status }) => status).sort(), [204, 404]);
    await box.db.query('delete from media_files where tenant_id = $1 and asset_id is null');
  }
});
