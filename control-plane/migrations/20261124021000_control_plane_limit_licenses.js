export const up = (knex) =>
  knex.raw(`
    alter table license_keys add column label text;
    -- For the vendor only.
    alter table license_keys add column notes text;
    -- Null for no limit.
    alter table license_keys add column max_boxes integer check (max_boxes >= 0);
    alter table license_keys add column max_installations integer check (max_installations >= 0);
    -- The first of the licences that replaced each other: boxes and installations are counted for it. Null for itself.
    alter table license_keys add column first_id uuid references license_keys (id);

    -- The licence for which a box counts: the one that deployed it first, or that first deployed it since this migration.
    alter table boxes add column license_id uuid references license_keys (id);
    update boxes set license_id = only_one.id
      from (select customer_id, min(id::text)::uuid as id from license_keys group by customer_id having count(*) = 1) only_one
     where only_one.customer_id = boxes.customer_id;
    create index boxes_license on boxes (license_id);

    create table license_installations (
      id uuid primary key,
      license_id uuid not null references license_keys (id),
      -- The installer's own name of itself, a random UUID.
      installation_id uuid not null,
      version text,
      platform text,
      created_at timestamptz(3) not null default now(),
      last_activated_at timestamptz(3) not null default now(),
      constraint license_installations_once unique (license_id, installation_id)
    );
    create index license_installations_newest on license_installations (license_id, created_at, id);

    create table license_activations (
      id uuid primary key,
      license_id uuid not null references license_keys (id),
      -- Null for an installer that does not say who it is.
      installation_id uuid,
      version text,
      platform text,
      created_at timestamptz(3) not null default now()
    );
    create index license_activations_newest on license_activations (license_id, created_at, id);
    create index license_activations_age on license_activations (created_at);
  `);

export const down = (knex) =>
  knex.raw(`
    drop table license_activations, license_installations;
    alter table boxes drop column license_id;
    alter table license_keys drop column first_id;
    alter table license_keys drop column max_installations;
    alter table license_keys drop column max_boxes;
    alter table license_keys drop column notes;
    alter table license_keys drop column label;
  `);
