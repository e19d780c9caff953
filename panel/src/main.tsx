import { createRoot } from 'react-dom/client';

const root = document.getElementById('panel');
if (root) createRoot(root).render(<p>Merchant panel</p>);
