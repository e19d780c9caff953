import { C5 } from './processes/c5-ended-connections.ts';
import { C8 } from './processes/c8-redis-faults.ts';
import { shortForm } from './short-form.ts';

shortForm(C5, C8);
