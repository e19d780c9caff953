import { C7 } from './processes/c7-partitions.ts';
import { C9 } from './processes/c9-full-disks.ts';
import { J5 } from './processes/j5-health.ts';
import { shortForm } from './short-form.ts';

shortForm(C7, C9, J5);
