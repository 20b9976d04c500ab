// The form of paths is the concern of the code that normalizes them. Lists of copied rows, as the tests of plans make
// them, have other unique texts.
export const up = (knex) => knex.raw('alter table redirects drop constraint redirects_path_check');

export const down = (knex) =>
  knex.raw(
    "alter table redirects add constraint redirects_path_check check (path like '/%' and path not like '//%') not valid",
  );
