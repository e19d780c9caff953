import { B1 } from './b1-enumeration.ts';
import { B2 } from './b2-online-guessing.ts';
import { B3 } from './b3-reset-links.ts';
import { B4 } from './b4-ended-sessions.ts';
import { B5 } from './b5-forged-hosts.ts';
import { B6 } from './processes/b6-login-flood.ts';
import { J1 } from './processes/j1-secrets-at-rest.ts';
import { shortForm } from './short-form.ts';

shortForm(B1, B2, B3, B4, B5, B6, J1);
