// Row-level security uses an index only for comparisons of plain columns, so the texts that members are searched by are
// stored here: the e-mail address, and the name from the beginning of each of its words, in lower case.
export const up = (knex) =>
  knex.raw(`
    create table member_words (
      tenant_id uuid not null,
      member_id uuid not null,
      word_from text collate "C" not null,
      constraint member_words_pkey primary key (tenant_id, member_id, word_from),
      foreign key (tenant_id, member_id) references members (tenant_id, id) on delete cascade
    );
    create index member_words_word on member_words (tenant_id, word_from, member_id);
    create index members_status on members (tenant_id, status, created_at, id) where deleted_at is null;
    create index members_marketing on members (tenant_id, accepts_marketing, created_at, id) where deleted_at is null;
    create index members_status_marketing on members (tenant_id, status, accepts_marketing, created_at, id)
      where deleted_at is null;
  `);

export const down = (knex) =>
  knex.raw('drop table member_words; drop index members_status, members_marketing, members_status_marketing');
