// The button and the menu.  Both open a tab of ours, which reads the page and sends it on.
const send = (tab, ask) => chrome.tabs.create({
  url: chrome.runtime.getURL(`send.html?${new URLSearchParams(ask)}`),
  index: tab.index + 1,
  openerTabId: tab.id,
});

chrome.runtime.onInstalled.addListener(({ reason }) => {
  for (const [id, title, contexts] of [
    ["page", "Print this page", ["page"]],
    ["selection", "Print the selection", ["selection"]],
    ["link", "Print the page this link leads to", ["link"]],
  ]) chrome.contextMenus.create({ id, title, contexts }, () => chrome.runtime.lastError);
  if (reason === "install") chrome.runtime.openOptionsPage();
});

chrome.action.onClicked.addListener((tab) => send(tab, { tab: tab.id }));

chrome.contextMenus.onClicked.addListener((chosen, tab) => {
  if (chosen.menuItemId === "link") send(tab, { url: chosen.linkUrl });
  else send(tab, { tab: tab.id });
});
