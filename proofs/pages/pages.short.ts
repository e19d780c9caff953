import { shortForm } from '../testing/short-form.ts';
import { F6 } from './forged-forms.ts';
import { F7 } from './framing.ts';
import { F8 } from './planted-sessions.ts';
import { K5 } from './redirects.ts';
import { F9 } from './scripting.ts';
import { F10 } from './two-shops-in-one-browser.ts';

shortForm(F6, F7, F8, F9, F10, K5);
