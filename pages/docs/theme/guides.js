import { onContentUpdated } from 'vitepress';
import { onBeforeUnmount, onMounted } from 'vue';
import { chooseTab, chosenTab, onTabChosen } from './chosen-tab.js';

/** The parts of the guides that answer a click: the tabs, and the buttons that copy an address. */

/** How long a button says that it copied, in milliseconds. */
const COPIED_MS = 2_000;

/** Shows the tab of that name in each group that has one. */
function showTab(name) {
  for (const group of document.querySelectorAll('.vp-code-group')) {
    const index = [...group.querySelectorAll('.tabs label')].findIndex((label) => label.dataset.title === name);
    if (index < 0) continue;
    group.querySelectorAll('.tabs input')[index].checked = true;
    for (const [place, block] of [...group.querySelector('.blocks').children].entries())
      block.classList.toggle('active', place === index);
  }
}

/** The groups above change their height. The tab stays below the pointer. */
function choose({ target }) {
  const label = target.matches?.('.vp-code-group .tabs input') ? target.nextElementSibling : null;
  if (label === null) return;
  const before = label.getBoundingClientRect().top;
  chooseTab(label.dataset.title);
  globalThis.scrollBy({ top: label.getBoundingClientRect().top - before, behavior: 'instant' });
}

async function copyAddress({ target }) {
  const button = target.closest?.('.copy-code');
  if (button === null || button === undefined) return;
  await navigator.clipboard.writeText(button.previousElementSibling.textContent);
  button.classList.add('copied');
  setTimeout(() => button.classList.remove('copied'), COPIED_MS);
}

/** Makes the guides of the layout answer clicks. */
export function useGuides() {
  let stop;
  onMounted(() => {
    stop = onTabChosen(showTab);
    document.addEventListener('change', choose);
    document.addEventListener('click', copyAddress);
  });
  onBeforeUnmount(() => {
    stop();
    document.removeEventListener('change', choose);
    document.removeEventListener('click', copyAddress);
  });
  onContentUpdated(() => {
    const name = chosenTab();
    if (name !== undefined) showTab(name);
  });
}
