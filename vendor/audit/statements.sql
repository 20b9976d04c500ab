-- Statements that @carton/audit composes of parts, as the samples of testing/statements.ts send them.
-- Written by `npm run documentation`.

-- insertEntry
-- $2 string, $3 null, $4 null, $5 null, $6 string, $7 string, $8 string, $9 string, $10 null
insert into
  audit_entries (tenant_id, id, actor_type, actor_id, actor_label, action, resource, resource_id, before, after)
values
  ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10);

-- listEntries
-- $2 string, $3 string, $4 string, $5 number
select
  "audit_entries".*
from
  "audit_entries"
where
  "audit_entries"."tenant_id" = $1
  and "audit_entries"."created_at" >= $2
  and "audit_entries"."created_at" < $3
  and "audit_entries"."resource" = $4
order by
  "audit_entries"."created_at" desc,
  "audit_entries"."id" desc
limit
  $5;
