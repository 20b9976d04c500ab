/**
 * Creates the template of test databases, with the tables of all packages of the checkout that this file is in: each copy
 * runs its own. The argument is the name of the template.
 */
import { connect, loadPackages, migrate, migrationOwners } from '@carton/runtime/service';
import { administer, packagesOfTier, sourceRoot, urlOfDatabase } from '@carton/runtime/testing';

const [name = ''] = process.argv.slice(2);
if (!/^\w+$/.test(name)) throw new Error('the name of the template is missing');
await administer(`create database ${name}`);
const packages = await loadPackages(packagesOfTier('enterprise'), sourceRoot);
const knex = connect({ url: urlOfDatabase(name) });
await migrate(knex, migrationOwners(packages));
await knex.destroy();
