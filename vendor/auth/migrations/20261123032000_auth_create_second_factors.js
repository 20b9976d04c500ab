export const up = (knex) =>
  knex.raw(`
    create table staff_second_factors (
      tenant_id uuid not null,
      staff_user_id uuid not null,
      -- The secret shared with the authenticator: in base32, or encrypted with the key of the box.
      secret_key text not null,
      -- Null until the first code has confirmed that the authenticator has the secret.
      enabled_at timestamptz(3),
      -- The time step of the last code that was used (RFC 6238): it and earlier ones are refused.
      last_step bigint,
      -- Hashes of the unused recovery codes.
      recovery_hash text[] not null default '{}',
      created_at timestamptz(3) not null default now(),
      primary key (tenant_id, staff_user_id),
      foreign key (tenant_id, staff_user_id) references staff_users (tenant_id, id) on delete cascade
    );

    -- A log-in that waits for the code of the second factor is a token like a link.
    alter table staff_tokens drop constraint staff_tokens_purpose_check;
    alter table staff_tokens add constraint staff_tokens_purpose_check
      check (purpose in ('password_reset', 'second_factor'));
    alter table staff_tokens add column attempts integer not null default 0;
  `);

export const down = (knex) =>
  knex.raw(`
    delete from staff_tokens where purpose = 'second_factor';
    alter table staff_tokens drop column attempts;
    alter table staff_tokens drop constraint staff_tokens_purpose_check;
    alter table staff_tokens add constraint staff_tokens_purpose_check check (purpose in ('password_reset'));
    drop table staff_second_factors;
  `);
