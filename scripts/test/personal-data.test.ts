/**
 * Packages declare all personal data that they store: each column whose name suggests it is declared, or listed here with
 * the reason why it has none of shoppers.
 */
import { createTestBox } from '@carton/runtime/testing';
import t from 'tap';
import { personalDataOf } from '../../runtime/persons/rights.ts';

const box = await createTestBox(t);
const suspicious = [
  /e_?mail|phone|address|line1|line2|city|postal|company/,
  /(^|_)name$|label|note|message|reason|body/,
  /session_hash|user_agent|(^|_)ip$|before|after|properties|metadata/,
];

/** Columns without personal data of shoppers, by table, with the reason. */
const others: Record<string, readonly string[]> = {
  // Of the store, its products and its records.
  tenants: ['name'],
  stores: ['name', 'legal_name', 'address', 'email', 'phone'],
  regions: ['name', 'metadata'],
  number_sequences: ['name'],
  tenant_quotas: ['name'],
  tax_categories: ['name', 'metadata'],
  tax_rate_postal_codes: ['postal_from', 'postal_to'],
  tax_rates: ['name', 'metadata'],
  carts: ['pickup_address'],
  shipping_profiles: ['name', 'metadata'],
  shipping_zones: ['name', 'metadata'],
  shipping_zone_places: ['postal_code', 'postal_from', 'postal_to'],
  shipping_options: ['name', 'metadata'],
  order_shipping_methods: ['name', 'pickup_location'],
  fulfillments: ['shipping_name'],
  background_tasks: ['name'],
  product_options: ['name'],
  applied_migrations: ['name'],
  payment_methods: ['name'],
  // A code of the provider.
  payment_disputes: ['reason'],
  order_adjustments: ['label'],
  order_tax_lines: ['label'],
  stock_movements: ['note', 'reason'],
  promotions: ['label', 'metadata'],
  // Integrators' data about products.
  products: ['metadata'],
  product_variants: ['metadata'],
  categories: ['name', 'metadata'],
  media_assets: ['file_name', 'metadata'],
  pages: ['metadata'],
  menus: ['name'],
  media_uploads: ['file_name'],
  downloads: ['file_name'],
  collections: ['metadata'],
  stock_items: ['metadata'],
  // Ids.
  members: ['former_address_ids'],
  // Of staff.
  staff_users: ['email', 'name', 'metadata'],
  staff_sessions: ['address', 'user_agent'],
  staff_invites: ['email'],
  staff_tokens: ['email'],
  api_keys: ['name', 'metadata'],
};

/** The member of staff who did something. */
const ofStaff = /^actor_label$/;

const columns = await box.owner.query<{ table: string; column: string }>(
  `select table_name as table, column_name as column from information_schema.columns
    where table_schema = 'public' and data_type in ('text', 'jsonb', 'inet', 'ARRAY')
    order by 1, 2`,
);
const declared = new Set(
  personalDataOf(box.box.database).flatMap(({ keeps }) =>
    keeps.flatMap(({ table, columns }) => columns.map((column) => `${table}.${column}`)),
  ),
);
const inDatabase = new Set(columns.map(({ table, column }) => `${table}.${column}`));

t.test('declared columns exist', async (t) => {
  t.strictSame(
    [...declared].filter((column) => !inDatabase.has(column)),
    [],
  );
});

t.test('columns that look personal are declared', async (t) => {
  const found = columns
    .filter(({ table, column }) => suspicious.some((name) => name.test(column)) && !others[table]?.includes(column))
    .filter(({ column }) => !ofStaff.test(column))
    .map(({ table, column }) => `${table}.${column}`)
    .filter((column) => !declared.has(column));
  t.strictSame(found, [], 'declare them in persons.ts of the package, as CONTRIBUTING.md has it, or list them here');
});
