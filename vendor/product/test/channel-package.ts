/**
 * A package that hides and translates products, as a vendor would write one. Channels list products; a request names
 * its channel in a header, by default `web`. Members of the group `buyers` also see unlisted products; nobody sees a
 * product before its release.
 */
import { writePackage } from '@carton/runtime/testing';

const migration = `export const up = (knex) =>
  knex.raw(\`
    create table channel_products (
      tenant_id uuid not null references tenants (id),
      channel_id text not null,
      product_id uuid not null,
      primary key (tenant_id, channel_id, product_id)
    );
    create table product_releases (
      tenant_id uuid not null references tenants (id),
      product_id uuid not null,
      released_at timestamptz not null,
      primary key (tenant_id, product_id)
    );
    create table product_texts (
      tenant_id uuid not null references tenants (id),
      resource_id uuid not null,
      locale text not null,
      field text not null,
      said text not null,
      primary key (tenant_id, resource_id, locale, field)
    )
  \`);
export const down = (knex) => knex.raw('drop table product_texts, product_releases, channel_products');
`;

const index = `import { memberGroups, productTexts, productVisibility, shopperChannels } from '@carton/product';
import { definePackage } from '@carton/runtime';

const listed = {
  condition: \`exists (select from channel_products places
    where places.tenant_id = $1 and places.channel_id = $2 and places.product_id = products.id)\`,
  values: ({ channelId, memberGroups }) => (memberGroups.includes('buyers') ? null : [channelId ?? 'web']),
};

const released = {
  condition: \`not exists (select from product_releases releases
    where releases.tenant_id = $1 and releases.product_id = products.id and releases.released_at > $2)\`,
  values: ({ time }) => [time],
};

const channelOf = async (_, headers) => headers['x-channel'] ?? null;

const buyer = '0198f5a2-7c1e-7b5a-9f51-3f6a52a1c0b1';
const groupsOf = async (_, memberId) => (memberId === buyer ? ['buyers'] : []);

const textsOf = async (db, ids, locales) => {
  const rows = await db.query(
    \`select distinct on (resource_id, field) resource_id, field, said from product_texts
      where tenant_id = $1 and resource_id = any($2::uuid[]) and locale = any($3::text[])
      order by resource_id, field, array_position($3::text[], locale)\`,
    [ids, locales],
  );
  const texts = new Map();
  for (const { resourceId, field, said } of rows) texts.set(resourceId, { ...texts.get(resourceId), [field]: said });
  return texts;
};

export default definePackage({
  routes: [],
  extends: [
    productVisibility.with(listed),
    productVisibility.with(released),
    shopperChannels.with(channelOf),
    memberGroups.with(groupsOf),
    productTexts.with(textsOf),
  ],
});
`;

/** A member of the group `buyers`. */
export const buyer = '0198f5a2-7c1e-7b5a-9f51-3f6a52a1c0b1';

/** @param others further packages to mount, without their scope */
export function channelPackage(t: { teardown(task: () => Promise<void>): void }, others: readonly string[]) {
  return writePackage(t, { name: 'channel', dependencies: ['core', 'auth', 'product'], index, migration }, others);
}
