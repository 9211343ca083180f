// SPDX-License-Identifier: MIT
pragma solidity ^0.8.13;

import {OwnedPassGate, PassGate, Passes} from "@gatepass/contracts/PassGate.sol";

// A dApp whose gateway and gatekeeper network are fixed.
contract FixedDoor is PassGate {
    uint256 public visits;

    constructor(address gateway_, uint256 gatekeeperNetwork_) PassGate(gateway_, gatekeeperNetwork_) {}

    function enter() external onlyPassHolder {
        visits++;
    }
}

// A dApp with an owner.
contract OwnedDoor is OwnedPassGate {
    uint256 public visits;

    constructor(address gateway_, uint256 gatekeeperNetwork_, address owner_)
        OwnedPassGate(gateway_, gatekeeperNetwork_, owner_)
    {}

    function enter() external onlyPassHolder {
        visits++;
    }
}

// A dApp on the library alone, with immutable values.
contract LibraryDoor {
    address private immutable _gateway;
    uint256 private immutable _gatekeeperNetwork;
    uint256 public visits;

    constructor(address gateway_, uint256 gatekeeperNetwork_) {
        _gateway = gateway_;
        _gatekeeperNetwork = gatekeeperNetwork_;
    }

    function enter() external {
        Passes.requirePass(_gateway, _gatekeeperNetwork, msg.sender);
        visits++;
    }
}

// A contract that acts against wallets without a pass. Whoever calls it chooses the gas.
contract Evictor {
    PassGate private immutable _gate;
    mapping(address => bool) public isEvicted;

    constructor(PassGate gate_) {
        _gate = gate_;
    }

    function evict(address wallet) external {
        if (!_gate.hasPass(wallet)) isEvicted[wallet] = true;
    }

    // Limits the gas of the check itself, as a batch of calls does.
    function evictWith(address wallet, uint256 gasMax) external {
        try _gate.hasPass{gas: gasMax}(wallet) returns (bool isHolder) {
            if (!isHolder) isEvicted[wallet] = true;
        } catch {}
    }
}

// A contract without a pass, which anybody can have enter a door.
contract Visitor {
    function visit(FixedDoor door) external {
        door.enter();
    }
}
