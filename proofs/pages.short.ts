import { K5 } from './k5-hostile-addresses.ts';
import { F6 } from './pages/f6-forged-forms.ts';
import { F7 } from './pages/f7-framing.ts';
import { F8 } from './pages/f8-planted-sessions.ts';
import { F9 } from './pages/f9-scripting.ts';
import { F10 } from './pages/f10-mixed-visits.ts';
import { F12 } from './pages/f12-ease-of-use.ts';
import { shortForm } from './short-form.ts';

shortForm(F6, F7, F8, F9, F10, F12, K5);
