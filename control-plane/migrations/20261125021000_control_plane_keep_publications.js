export const up = (knex) =>
  knex.raw(`
    -- Every release that was published on a channel, with its signatures there: boxes can stay at one. A channel points to
    -- one of them.
    create table release_publications (
      channel text not null references release_channels (name),
      version text not null references releases (version),
      published_at timestamptz(3) not null default now(),
      signatures jsonb,
      primary key (channel, version)
    );
    insert into release_publications (channel, version, published_at, signatures)
      select name, version, published_at, signatures from release_channels;
  `);

export const down = (knex) => knex.raw('drop table release_publications');
