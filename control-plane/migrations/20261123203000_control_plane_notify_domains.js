// Tells the replicas of the control plane which domains may be served differently (boxes/served/).
export const up = (knex) =>
  knex.raw(`
    create function notify_served_domain() returns trigger language plpgsql as $$
    begin
      if tg_op <> 'INSERT' and old.state in ('proved', 'failing') then
        perform pg_notify('served_domains', old.domain);
      end if;
      if tg_op <> 'DELETE' and new.state in ('proved', 'failing') then
        perform pg_notify('served_domains', new.domain);
      end if;
      return null;
    end $$;
    create trigger box_domains_notify after insert or delete or update of state, domain, box_id on box_domains
      for each row execute function notify_served_domain();

    create function notify_moved_box() returns trigger language plpgsql as $$
    begin
      perform pg_notify('served_domains', domain)
         from box_domains where box_id = new.id and state in ('proved', 'failing');
      return null;
    end $$;
    create trigger boxes_notify after update of backend_url on boxes
      for each row when (old.backend_url <> new.backend_url) execute function notify_moved_box();
  `);

export const down = (knex) =>
  knex.raw(`
    drop trigger boxes_notify on boxes;
    drop function notify_moved_box;
    drop trigger box_domains_notify on box_domains;
    drop function notify_served_domain;
  `);
