import { render } from 'preact';
import { App } from './app.js';
import { startRouter } from './lib/router.js';
import { followSession, loadSession } from './lib/session.js';
import { applyTheme } from './lib/theme.js';
import './styles/tokens.css';
import './styles/base.css';
import './styles/frame.css';
import './styles/parts.css';

applyTheme();
startRouter();
followSession();
void loadSession();
const root = document.getElementById('app');
if (root !== null) render(<App />, root);
