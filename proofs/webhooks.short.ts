import { G2 } from './g2-receivers.ts';
import { G3 } from './g3-signatures.ts';
import { G4 } from './g4-forbidden-addresses.ts';
import { G5 } from './g5-dead-tenant.ts';
import { G6 } from './g6-duplicates.ts';
import { G1 } from './processes/g1-killed-deliverers.ts';
import { G7 } from './processes/g7-told-secrets.ts';
import { shortForm } from './short-form.ts';

shortForm(G1, G2, G3, G4, G5, G6, G7);
