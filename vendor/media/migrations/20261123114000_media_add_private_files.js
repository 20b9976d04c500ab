// A file of the variant private belongs to a row of another package's table, which refers to it, and to no asset. Like any
// other it is deleted when it expires.
export const up = (knex) =>
  knex.raw(`
    alter table media_files drop constraint media_files_owner;
    alter table media_files add constraint media_files_owner check (
      case variant when 'private' then asset_id is null else (asset_id is null) = (expires_at is not null) end);
  `);

export const down = (knex) =>
  knex.raw(`
    update media_files set expires_at = '-infinity' where variant = 'private';
    alter table media_files drop constraint media_files_owner;
    alter table media_files add constraint media_files_owner check ((asset_id is null) = (expires_at is not null));
  `);
