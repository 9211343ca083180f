// SPDX-License-Identifier: MIT
pragma solidity ^0.8.13;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IERC165, IERC7943Fungible} from "./IERC7943Fungible.sol";
import {OwnedPassGate} from "./PassGate.sol";
import {PassTransfers} from "./PassTransfers.sol";

/// @title An example of a token on `PassTransfers`. Its owner mints. It is written for version 4.9 of OpenZeppelin's contracts.
contract PassToken is ERC20, PassTransfers {
    /// @param name_ The name of the token.
    /// @param symbol_ The symbol of the token.
    /// @param gateway_ The gateway contract.
    /// @param gatekeeperNetwork_ The slot of the gatekeeper network.
    /// @param owner_ The owner.
    constructor(string memory name_, string memory symbol_, address gateway_, uint256 gatekeeperNetwork_, address owner_)
        ERC20(name_, symbol_)
        OwnedPassGate(gateway_, gatekeeperNetwork_, owner_)
    {}

    /// @notice Creates tokens for a wallet with a pass.
    function mint(address to, uint256 amount) external onlyOwner {
        _requireReceive(to);
        _mint(to, amount);
    }

    /// @inheritdoc ERC20
    function balanceOf(address account) public view override(ERC20, PassTransfers) returns (uint256) {
        return ERC20.balanceOf(account);
    }

    /// @inheritdoc IERC165
    function supportsInterface(bytes4 id) external pure returns (bool) {
        return id == type(IERC7943Fungible).interfaceId || id == type(IERC20).interfaceId || id == type(IERC165).interfaceId;
    }

    function _transfer(address from, address to, uint256 amount) internal override {
        _requireTransfer(from, to, amount);
        super._transfer(from, to, amount);
    }

    function _move(address from, address to, uint256 amount) internal override {
        super._transfer(from, to, amount);
    }
}
