import { readFileSync } from 'node:fs';

readFileSync('/no/such/file');
