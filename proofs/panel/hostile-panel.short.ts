import { shortForm } from '../testing/short-form.ts';
import { L4 } from './hostile-panel.ts';

shortForm(L4);
