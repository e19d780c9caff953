import { C15 } from './c15-deadlock-bait.ts';
import { C2 } from './processes/c2-cut-connections.ts';
import { C3 } from './processes/c3-failpoints.ts';
import { C4 } from './processes/c4-lost-commits.ts';
import { C14 } from './processes/c14-clocks.ts';
import { shortForm } from './short-form.ts';

shortForm(C2, C3, C4, C14, C15);
