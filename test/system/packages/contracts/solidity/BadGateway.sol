// SPDX-License-Identifier: MIT
pragma solidity ^0.8.13;

interface IGate {
    function hasPass(address wallet) external view returns (bool);
}

// A gateway that its owner turns into a bad one. Each mode is a number; the tests name them.
contract BadGateway {
    uint256 public mode;
    uint256 private _writes;

    function setMode(uint256 mode_) external {
        mode = mode_;
    }

    fallback() external {
        uint256 mode_ = mode;
        if (mode_ == 0) word(0);
        if (mode_ == 1) word(1);
        if (mode_ == 2) revert();
        if (mode_ == 3) revert("not now");
        if (mode_ == 4) while (true) {}
        if (mode_ == 5) assembly { invalid() }
        if (mode_ == 6) word(2);
        if (mode_ == 7) word(type(uint256).max);
        if (mode_ == 8) word(1 << 248);
        if (mode_ == 9) assembly { mstore(0, 1) return(1, 31) }
        if (mode_ == 10) assembly { mstore(0, 1) mstore(32, 0) return(0, 33) }
        if (mode_ == 11) assembly { mstore(0, 1) mstore(32, 1) return(0, 64) }
        if (mode_ == 12) assembly { return(0, 0) }
        // 700 kB, which the gateway's gas pays, and which a caller must not copy.
        if (mode_ == 13) assembly { mstore(0, 1) return(0, 700000) }
        if (mode_ == 14) assembly { mstore(0, 1) revert(0, 700000) }
        if (mode_ == 15) {
            _writes++;
            word(1);
        }
        // Asks the gate that asks it, until no gas is left.
        if (mode_ == 16) word(IGate(msg.sender).hasPass(address(this)) ? 1 : 0);
        if (mode_ == 18) work();
        if (mode_ == 17) assembly {
            mstore(0, 1)
            revert(0, 32)
        }
    }

    // Needs nearly the maximum of a gateway for its yes.
    function work() private view {
        uint256 from = gasleft();
        while (from - gasleft() < 1_990_000) {}
        word(1);
    }

    function word(uint256 value) private pure {
        assembly {
            mstore(0, value)
            return(0, 32)
        }
    }
}

// Delegates every call, and has nothing in its storage.
contract BareProxy {
    address private immutable _implementation;

    constructor(address implementation_) {
        _implementation = implementation_;
    }

    fallback() external {
        delegate(_implementation);
    }
}

// A proxy whose implementation its owner replaces.
contract SwitchingProxy {
    // Where `BadGateway` has its mode.
    uint256 private _mode;
    address public implementation;

    constructor(address implementation_) {
        implementation = implementation_;
    }

    function switchTo(address implementation_) external {
        implementation = implementation_;
    }

    fallback() external {
        delegate(implementation);
    }
}

function delegate(address to) {
    assembly {
        calldatacopy(0, 0, calldatasize())
        let success := delegatecall(gas(), to, 0, calldatasize(), 0, 0)
        returndatacopy(0, 0, returndatasize())
        if iszero(success) { revert(0, returndatasize()) }
        return(0, returndatasize())
    }
}
